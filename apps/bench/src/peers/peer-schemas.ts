import { z } from 'zod';

export const PetStatus = z.enum(['available', 'pending', 'sold']);

export const NewPet = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.int(),
  status: PetStatus.default('available'),
});

export const Pet = NewPet.extend({ id: z.int() });

export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: PetStatus.optional(),
});

export const PetId = z.coerce.number().int();
