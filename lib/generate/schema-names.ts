import * as z from 'zod';

/**
 * The names of the schemas that a document is made of. A name is public and stays forever, so a contract gives it: `meta({ id })`, and
 * `outputId` where responses show the schema otherwise than requests take it. A schema without a name is written where it is used.
 */
export class SchemaNames {
  readonly #given = new Set<string>();

  collect(schema: z.core.$ZodType): void {
    const { id, outputId } = z.globalRegistry.get(schema) ?? {};
    for (const name of [id, outputId]) if (name !== undefined) this.#given.add(name);
  }

  /** Throws where a schema has a name that no contract gives, or a name that ends in a digit. */
  check(names: readonly string[]): void {
    for (const name of names) {
      if (/\d$/.test(name)) throw new Error(`The schema name ${name} ends in a digit: say in words what sets the schema apart.`);
      if (!this.#given.has(name))
        throw new Error(
          `No contract gives the schema name ${name}. Two different schemas claim one id, or responses show a schema otherwise than requests take it: give it an outputId.`,
        );
    }
  }
}
