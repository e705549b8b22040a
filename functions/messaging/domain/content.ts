import type { ProviderPayload } from '../contract/content.ts';

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
  return payload;
};
