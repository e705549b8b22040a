import { api, type Answer } from './client.ts';

/** What a page needs to open the provider's dialog. */
export type NewSignup = Answer<'createSignup'>['data'];

/** How the dialog ended. `code`: good for half a minute, so that it is used at once. */
export type DialogOutcome =
  | { kind: 'finished'; code: string; waba_id?: string; phone_number_id?: string }
  | { kind: 'cancelled' }
  /** The provider's own words, in its language. */
  | { kind: 'stopped'; message: string };

interface ProviderScript {
  init(options: { appId: string; version: string; xfbml: boolean }): void;
  login(
    callback: (answer: { authResponse?: { code?: string } | null }) => void,
    options: { config_id: string; response_type: 'code'; override_default_response_type: true; extras: { setup: object } },
  ): void;
}
declare global {
  interface Window {
    /** What the script of the provider leaves. */
    FB?: ProviderScript;
  }
}

let loading: Promise<ProviderScript> | undefined;

/** The script of the provider, once in a document. https://developers.facebook.com/docs/javascript/quickstart */
export const loadProviderScript = ({ script_url, app_id, version }: NewSignup): Promise<ProviderScript> =>
  (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = script_url;
    script.async = true;
    script.onerror = () => {
      // the next try loads it anew
      loading = undefined;
      reject(new Error('The script of the provider did not load.'));
    };
    script.onload = () => {
      const { FB } = window;
      if (!FB) return reject(new Error('The script of the provider is another one.'));
      FB.init({ appId: app_id, version, xfbml: false });
      resolve(FB);
    };
    document.body.append(script);
  }));

/**
 * Opens the dialog, and waits for its end. Its window posts what was chosen, and the script gives the code: in either order. Messages count from the
 * origins of the provider alone. Call it within a press, so that the window may open.
 */
export const openDialog = (FB: ProviderScript, { configuration_id, dialog_origins }: NewSignup): Promise<DialogOutcome> =>
  new Promise((resolve) => {
    let posted: Posted | undefined;
    let code: string | undefined;
    const end = (outcome: DialogOutcome): void => {
      removeEventListener('message', receive);
      resolve(outcome);
    };
    const finish = (given: string): void => end({ kind: 'finished', code: given, ...idsOf(posted) });
    const receive = ({ origin, data }: MessageEvent): void => {
      const message = dialog_origins.includes(origin) ? postedIn(data) : undefined;
      if (!message) return;
      posted = message;
      if (message.event.startsWith('FINISH') && code !== undefined) finish(code);
    };
    addEventListener('message', receive);
    FB.login(
      ({ authResponse }) => {
        code = authResponse?.code;
        if (code === undefined) return end(endOf(posted));
        if (posted) return finish(code);
        // the provider knows what was chosen, also where the window does not say it
        setTimeout(finish, patienceMs, code);
      },
      { config_id: configuration_id, response_type: 'code', override_default_response_type: true, extras: { setup: {} } },
    );
  });

/** How far a signup is, while it is completed. */
export const signupStep = async (id: number): Promise<Answer<'getSignup'>['data']['status']> =>
  (await api.getSignup({ params: { id } })).data.status;

const patienceMs = 2_000;

interface Posted {
  event: string;
  data: Readonly<Record<string, unknown>>;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

function postedIn(data: unknown): Posted | undefined {
  try {
    const message: unknown = typeof data === 'string' ? JSON.parse(data) : data;
    if (!isRecord(message) || message['type'] !== 'WA_EMBEDDED_SIGNUP' || typeof message['event'] !== 'string') return undefined;
    return { event: message['event'], data: isRecord(message['data']) ? message['data'] : {} };
  } catch {
    return undefined;
  }
}

const textIn = ({ data }: Posted, name: string): string | undefined => {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function idsOf(posted: Posted | undefined): { waba_id?: string; phone_number_id?: string } {
  const [account, number] = posted ? [textIn(posted, 'waba_id'), textIn(posted, 'phone_number_id')] : [];
  return { ...(account === undefined ? {} : { waba_id: account }), ...(number === undefined ? {} : { phone_number_id: number }) };
}

function endOf(posted: Posted | undefined): DialogOutcome {
  const message = posted && textIn(posted, 'error_message');
  return message === undefined ? { kind: 'cancelled' } : { kind: 'stopped', message };
}
