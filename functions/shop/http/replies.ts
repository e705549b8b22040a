/** A 201 response with `{status, message, data}`. */
export const created = <T>(data: T, message: string) => ({ status: 201 as const, body: { status: 'success' as const, message, data } });

export const noContent = { status: 204 as const, body: undefined };
