import * as z from 'zod';

/** A schema as JSON Schema with each part where it stands: names (`meta({ id })`) are for the OpenAPI document alone. */
export const jsonSchemaOf = (schema: z.ZodType, io: 'input' | 'output' = 'input'): Record<string, unknown> =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: new WithoutNames() });

class WithoutNames extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType): Record<string, unknown> {
    const { id: _name, ...others } = z.globalRegistry.get(schema) ?? {};
    return others;
  }
}
