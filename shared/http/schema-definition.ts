import type * as z from 'zod';

/** What a schema is made of, as far as the readers of requests look into it. */
export interface SchemaDefinition {
  type: string;
  /** Of an object. */
  shape?: Readonly<Record<string, z.ZodType>>;
  catchall?: z.ZodType;
  /** Of a list, and of a record. */
  element?: z.ZodType;
  valueType?: z.ZodType;
  /** Of what is wrapped, and of a pipe. */
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  /** Of a union. */
  options?: readonly z.ZodType[];
}

export const definitionOf = (schema: z.ZodType): SchemaDefinition => schema.def as SchemaDefinition;

/** What a wrapped or piped schema reads first; undefined of any other. */
export const innerSchemaOf = ({ in: from, out, innerType }: SchemaDefinition): z.ZodType | undefined =>
  from && definitionOf(from).type !== 'transform' ? from : (out ?? innerType);
