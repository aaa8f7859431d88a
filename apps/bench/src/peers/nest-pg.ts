import 'reflect-metadata';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { announce } from '../announce.ts';
import { port, windows } from './peer-environment.ts';
import { ListQuery, NewPet } from './peer-schemas.ts';
import { findKeyId, redis } from './peer-stores.ts';
import * as statements from './pets-by-pg.ts';

@Injectable()
class ApiKeyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    request.keyId = await findKeyId(request.headers.authorization);
    if (request.keyId === undefined) throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
class KeyThrottlerGuard extends ThrottlerGuard {
  protected override async getTracker(request: Record<string, string>): Promise<string> {
    return request['keyId'] ?? '';
  }

  // One count for all routes; by default each route has its own.
  protected override generateKey(_context: ExecutionContext, tracker: string, name: string) {
    return `${name}:${tracker}`;
  }
}

@Injectable()
class PetsService {
  readonly list = statements.listPets;
  readonly find = statements.findPet;
  readonly create = statements.createPet;
}

@Controller('v1/pets')
class PetsController {
  // The types are erased, so what is injected is named.
  @Inject(PetsService) private readonly pets!: PetsService;

  @Get()
  list(@Query() query: unknown) {
    return this.pets.list(ListQuery.parse(query));
  }

  @Get(':petId')
  async get(@Param('petId', ParseIntPipe) petId: number) {
    const pet = await this.pets.find(petId);
    if (pet === undefined) throw new NotFoundException();
    return pet;
  }

  @Post()
  create(@Body() body: unknown) {
    return this.pets.create(NewPet.parse(body));
  }
}

@Module({
  imports: [
    ThrottlerModule.forRoot({
      throttlers: windows.map(({ name, limit, seconds }) => ({
        name,
        limit,
        ttl: seconds * 1_000,
      })),
      storage: new ThrottlerStorageRedisService(redis),
    }),
  ],
  controllers: [PetsController],
  providers: [
    PetsService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: KeyThrottlerGuard },
  ],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
await app.listen(port, '127.0.0.1');
announce(app.getHttpServer());
