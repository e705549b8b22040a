import type { ProviderPayload } from '../contract/content.ts';

/** Stands in a header for the provider's id of a file that is uploaded when the message is sent. */
export const unknownMediaId = 'to-be-uploaded';

/** The payload with the provider's id of its uploaded file. */
export const withMediaId = (payload: ProviderPayload, kind: string, id: string): ProviderPayload => {
  const fill = (holder: unknown): unknown => {
    if (typeof holder !== 'object' || holder === null) return holder;
    const held: unknown = Reflect.get(holder, kind);
    return typeof held === 'object' && held !== null ? { ...holder, [kind]: { ...held, id } } : holder;
  };
  if (payload.type === kind) return fill(payload) as ProviderPayload;
  if (payload.type === 'interactive') {
    const interactive = payload['interactive'] as Record<string, unknown>;
    return { ...payload, interactive: { ...interactive, header: fill(interactive['header']) } };
  }
  if (payload.type !== 'template') return payload;
  const template = payload['template'] as { components?: { type: string; parameters?: unknown[] }[] };
  const components = template.components?.map((each) =>
    each.type === 'header' ? { ...each, parameters: each.parameters?.map(fill) } : each,
  );
  return { ...payload, template: { ...template, components } };
};
