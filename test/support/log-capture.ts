/** Keeps the structured lines that handlers write to standard output, and keeps them off the screen; all else passes. */
export const captureLogs = (): { lines: Record<string, unknown>[]; stop: () => void } => {
  const lines: Record<string, unknown>[] = [];
  const write = process.stdout.write.bind(process.stdout);
  const capture = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : '';
    if (!/^\{"(level|_aws)":/.test(text)) return (write as (...args: unknown[]) => boolean)(chunk, ...rest);
    for (const line of text.split('\n')) if (line !== '') lines.push(JSON.parse(line) as Record<string, unknown>);
    return true;
  };
  process.stdout.write = capture as typeof process.stdout.write;
  return {
    lines,
    stop: () => {
      process.stdout.write = write;
    },
  };
};
