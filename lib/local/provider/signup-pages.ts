/** What a browser gets of the simulated signup: the script, the window that it opens, and the page behind the hosted link. */

/**
 * The provider's script: `FB.init`, and `FB.login`, which opens the dialog. It calls back with the code, or without one when the window was closed.
 * https://developers.facebook.com/docs/reference/javascript/FB.login
 */
export const script = (origin: string): string => `(() => {
  const origin = ${JSON.stringify(origin)};
  let app;
  const login = (callback, options) => {
    const query = new URLSearchParams({ client_id: app.appId, config_id: options.config_id, response_type: options.response_type });
    const dialog = window.open(origin + '/' + app.version + '/dialog/oauth?' + query, 'signup', 'popup,width=520,height=640');
    let watch;
    const end = (code) => {
      clearInterval(watch);
      removeEventListener('message', hear);
      callback(code ? { status: 'connected', authResponse: { code } } : { status: 'unknown', authResponse: null });
    };
    const hear = (event) => {
      if (event.origin === origin && event.data && event.data.type === 'simulated-login') end(event.data.code);
    };
    if (!dialog) return end();
    addEventListener('message', hear);
    // what it posted last may come after it was seen to be closed
    let left = 5;
    watch = setInterval(() => { if (dialog.closed && left-- === 0) end(); }, 200);
  };
  window.FB = { init: (options) => { app = options; }, login };
  if (window.fbAsyncInit) window.fbAsyncInit();
})();
`;

const layout = (title: string, body: string, code: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.3rem; }
  fieldset { border: 1px solid #ccc; border-radius: 8px; margin: 1rem 0; }
  label { display: block; padding: .3rem 0; }
  button { font: inherit; padding: .5rem 1rem; margin: 0 .5rem .5rem 0; }
  p.note { color: #666; font-size: .9rem; }
</style>
<h1>${title}</h1>
${body}
<script>${code}</script>
</html>`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
/** JSON within a script: no end of the script in it. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

export const dialogPage = (app: { appId: string; configurationId: string; numbers: readonly { id: string; name: string }[] }): string => {
  const choices = [
    ...app.numbers.map(({ id, name }) => ({ id, name })),
    { id: 'new', name: 'A new number' },
    { id: 'new-phone', name: 'A number that stays in the app on a phone' },
  ];
  const radios = choices
    .map(
      ({ id, name }) =>
        `<label><input type="radio" name="number" value="${escaped(id)}"${id === 'new' ? ' checked' : ''}> ${escaped(name)}</label>`,
    )
    .join('');
  return layout(
    'Connect your business',
    `<p class="note">The simulated dialog of the provider. Nothing of it leaves this machine.</p>
<fieldset><legend>Which number?</legend>${radios}</fieldset>
<button id="finish">Finish</button><button id="account">Only the account</button><button id="cancel">Cancel</button><button id="error">Report a problem</button>`,
    `
const app = ${inScript({ client_id: app.appId, config_id: app.configurationId })};
const post = (message) => opener && opener.postMessage(message, '*');
const end = (message, code) => { post(JSON.stringify(message)); post({ type: 'simulated-login', code }); close(); };
const finish = async (outcome) => {
  const number = document.querySelector('input[name=number]:checked').value;
  const answer = await fetch('/dialog/finish', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ...app, number, outcome }) });
  const { message, code } = await answer.json();
  end(message, code);
};
const stopped = (event, data) => end({ type: 'WA_EMBEDDED_SIGNUP', event, version: '4', data });
document.getElementById('finish').onclick = () => finish('FINISH');
document.getElementById('account').onclick = () => finish('FINISH_ONLY_WABA');
document.getElementById('cancel').onclick = () => stopped('CANCEL', { current_step: 'PHONE_NUMBER_SETUP' });
document.getElementById('error').onclick = () => stopped('ERROR', { error_message: 'The number is used by another account.', error_code: '524126', session_id: 'f34b51dab5e0498' });
`,
  );
};

export const hostedPage = (appId: string): string =>
  layout(
    'Connect your business',
    `<p class="note">The simulated page behind the hosted link. It gives no code: the operator connects the number with a token of the app.</p>
<button id="finish">Finish</button><dl id="done"></dl>`,
    `
document.getElementById('finish').onclick = async () => {
  const answer = await fetch('/dialog/hosted', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${inScript(JSON.stringify({ client_id: appId }))} });
  for (const [name, value] of Object.entries(await answer.json())) {
    const [term, text] = ['dt', 'dd'].map((tag) => document.getElementById('done').appendChild(document.createElement(tag)));
    term.textContent = name;
    text.textContent = value;
  }
};
`,
  );
