import { randomBytes } from 'node:crypto';

interface Claimable {
  shop: string;
  claim: string;
}

/**
 * What follows the consent: the console, where the user signs in and confirms the company. The claim is behind the `#`, which browsers send to
 * no server. A deployment without a console has a page of its own.
 */
export const claimPage = (finished: Claimable, origin: string | undefined) =>
  origin === undefined ? tokenPage(finished) : consolePage(finished, origin);

const consolePage = ({ shop, claim }: Claimable, origin: string) => ({
  status: 302 as const,
  headers: { ...unkept, location: `${origin}/console/connect-store#${new URLSearchParams({ shop, claim }).toString()}` },
  body: undefined,
});

/** Without a console the user enters a token of a company. The page loads nothing else. */
const tokenPage = ({ shop, claim }: Claimable) => {
  const nonce = randomBytes(16).toString('base64');
  return {
    status: 200 as const,
    headers: {
      ...unkept,
      'content-security-policy': `default-src 'none'; connect-src 'self'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    },
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Connect your store</title>
<style nonce="${nonce}">body{font:16px/1.5 system-ui;margin:3rem auto;max-width:32rem;padding:0 1rem}input,button{font:inherit;padding:.5rem;width:100%;box-sizing:border-box;margin:.25rem 0}</style></head>
<body><h1>Connect ${escaped(shop)}</h1>
<p>Sign in with an API token of the company that this store shall belong to (settings, API tokens; role admin or owner).</p>
<form id="sign-in" data-claim="${escaped(claim)}"><label for="token">API token</label><input id="token" type="password" autocomplete="off" required>
<button>Connect</button></form><p id="outcome" role="status"></p>
<script nonce="${nonce}">
const form = document.getElementById('sign-in'), outcome = document.getElementById('outcome');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const answer = await fetch('/api/v1/shop/connections', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ' + document.getElementById('token').value.trim() },
    body: JSON.stringify({ claim: form.dataset.claim }),
  }).catch(() => undefined);
  const body = answer ? await answer.json().catch(() => undefined) : undefined;
  outcome.textContent = answer && answer.ok ? 'Connected. Products and orders are being imported; you may close this page.' : (body && body.message) || 'That did not work; try again.';
  if (answer && answer.ok) form.hidden = true;
});
</script></body></html>
`,
  };
};

/** The claim is in no cache and no referrer, and the browser forgets the installation. */
const unkept = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'set-cookie': 'swb_install=; Path=/shop/connect; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
