/** HTTP as the provider's webhook sender does it. */
import * as http from 'node:http';
import * as https from 'node:https';

/** Real time: a receiver that does not answer counts as failed. */
const timeoutMs = 20_000;

export function createPoster() {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

  function request(url: string, options: { method: string; headers: http.OutgoingHttpHeaders; body?: Buffer }): Promise<Answer> {
    return new Promise((resolve) => {
      const failed = (): void => resolve({ status: 0, text: '' });
      try {
        const target = new URL(url);
        const secure = target.protocol === 'https:';
        const { method, headers, body } = options;
        const call = (secure ? https : http).request(
          target,
          { method, headers, agent: secure ? agents['https:'] : agents['http:'], timeout: timeoutMs },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
            response.on('error', failed);
          },
        );
        call.on('timeout', () => call.destroy());
        call.on('error', failed);
        call.on('close', failed);
        call.end(body);
      } catch {
        failed();
      }
    });
  }

  return {
    /** The HTTP status, 0 when there was no answer. */
    async post(url: string, body: Buffer, signature: string): Promise<number> {
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        'User-Agent': 'facebookexternalua',
        'X-Hub-Signature-256': signature,
      };
      return (await request(url, { method: 'POST', headers, body })).status;
    },
    /** The handshake of section 3.1: whether the receiver gave the challenge back. */
    async verify(url: string, verifyToken: string, challenge: string): Promise<boolean> {
      const target = new URL(url);
      target.searchParams.set('hub.mode', 'subscribe');
      target.searchParams.set('hub.challenge', challenge);
      target.searchParams.set('hub.verify_token', verifyToken);
      const answer = await request(target.href, { method: 'GET', headers: { 'User-Agent': 'facebookplatform/1.0' } });
      return answer.status === 200 && answer.text === challenge;
    },
    close(): void {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

interface Answer {
  status: number;
  text: string;
}
