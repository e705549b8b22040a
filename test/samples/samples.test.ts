import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runSamples } from './run.ts';

describe('recorded payloads', () => {
  test('go through the product: webhooks are stored and applied, requests and errors are read; the rest is said, not counted', async () => {
    const { results, waiting } = await runSamples(join(import.meta.dirname, 'small'));
    expect(results).toEqual([
      { file: 'error_190_string_codes.json' },
      { file: 'send_request_text_preview_url.json' },
      { file: 'send_response_text.json' },
      { file: 'template_delete_response.json' },
      { file: 'template_list_page.json' },
      { file: 'webhook_inbound_text.json' },
      { file: 'webhook_status_sent_minimal_v24.json' },
      { file: 'order.json' },
    ]);
    expect(waiting).toEqual([]);
  });

  test('that do not fit are failures, each with its reason', async () => {
    const { results } = await runSamples(join(import.meta.dirname, 'broken'));
    expect(results.map(({ problem }) => problem !== undefined)).toEqual([true, true]);
  });

  test('in a folder without any are a mistake, not a success', async () => {
    await expect(runSamples(join(import.meta.dirname, 'nowhere'))).rejects.toThrow('has no samples');
  });
});
