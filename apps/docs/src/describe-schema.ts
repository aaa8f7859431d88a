import type { JsonObject } from '@animal-store/contract/openapi';

/** The parts of a JSON Schema that the reference shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

/**
 * A property of a body. Its name includes the names of its parents, as in `windows.minute.limit`.
 */
export interface BodyProperty {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

export type SchemaReader = ReturnType<typeof createSchemaReader>;

/** Creates functions that describe the schemas of an OpenAPI document in words. */
export function createSchemaReader(document: JsonObject) {
  const { schemas } = document['components'] as { schemas: Readonly<Record<string, Schema>> };

  /**
   * Resolves a `$ref`. If there is a description next to the `$ref`, it replaces the description of
   * the component.
   */
  function resolve({ $ref, ...own }: Schema): Schema {
    return $ref === undefined ? own : { ...schemas[$ref.split('/').at(-1) ?? ''], ...own };
  }

  /**
   * Describes the type of a value with its range and default, such as `integer, 1 to 100, default
   * 20`.
   */
  function typeOf(of: Schema): string {
    const schema = resolve(of);
    const [known] = schema.anyOf ?? [];
    if (known !== undefined) return `${typeOf(known)}, more may be added`;
    const { format, minimum: least, maximum: most, minLength = 0, maxLength } = schema;
    const [type = '', ...others] = [schema.type ?? []].flat();
    const parts = [schema.enum === undefined ? nameOf(type, format) : oneOf(schema.enum)];
    if (type === 'array' && schema.items !== undefined) {
      const { minItems = 0, maxItems } = schema;
      parts[0] = `array of ${typeOf(schema.items)}`;
      if (maxItems !== undefined) parts.push(`${minItems} to ${maxItems} items`);
    }
    // The description names the type "safe integer", so it does not repeat the range of safe
    // integers.
    if (least !== undefined && most !== undefined && most < 2 ** 53 - 1) {
      parts.push(`${least} to ${most}`);
    }
    if (maxLength !== undefined && format === undefined && schema.enum === undefined) {
      const range = minLength > 0 ? `${minLength} to ${maxLength}` : `at most ${maxLength}`;
      parts.push(`${range} characters`);
    }
    if (others.includes('null')) parts.push('or `null`');
    if (schema.default !== undefined) parts.push(`default ${schema.default}`);
    return parts.join(', ');
  }

  /**
   * Returns the properties of an object, or of the objects in a list, including nested properties.
   */
  function propertiesOf(of: Schema, around = ''): BodyProperty[] {
    const schema = resolve(of);
    if (schema.items !== undefined) return propertiesOf(schema.items, `${around}[]`);
    return Object.entries(schema.properties ?? {}).flatMap(([own, member]) => {
      const name = around === '' ? own : `${around}.${own}`;
      return [
        {
          name,
          type: typeOf(member),
          isRequired: schema.required?.includes(own) ?? false,
          description: resolve(member).description ?? '',
        },
        ...propertiesOf(member, name),
      ];
    });
  }

  return { typeOf, propertiesOf };
}

function nameOf(type: string, format: string | undefined): string {
  if (format === 'int64') return '64-bit integer';
  if (format === 'date-time') return 'time (ISO 8601)';
  return type;
}

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => `\`${value}\``).join(' or ');
}
