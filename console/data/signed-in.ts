import { StoredTexts } from './stored.ts';
import { filesOf, removeFilesBut, type StoredFiles } from './stored-files.ts';

const beginning = 'switchboard.';

/** What was chosen for this browser: it says nothing of a company, and the sign-in page needs it. */
export const ofBrowser = new StoredTexts(beginning);
const namesOfBrowser = ['theme', 'language', 'direction', 'sound', 'notify', 'signed-in'];

/** `1.5` while user 5 of company 1 is signed in with this browser. The cookie decides: this spares calls that would be refused, and other tabs see it. */
const marker = 'signed-in';
/** While a tab is signing in, and until the page that it loads has read who it is. */
const [changing, entering] = ['changing', 'entering'];

export const signedInNow = (): string => ofBrowser.get(marker);

/** Waits while another tab signs in: who is signed in afterwards. */
export const signedInNext = async (): Promise<string> => {
  for (let waited = 0; signedInNow() === changing && waited < longestChangeMs; waited += lookMs)
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  return signedInNow();
};
const lookMs = 50;
const longestChangeMs = 10_000;

/** The user of this page. It stays: another user has another page. */
let own: string | undefined;

/** `1:5`: for whom this page calls, as the API reads it; undefined until that is known. The API refuses the call where its cookie is another user's. */
export const sessionName = (): string | undefined => own?.replace('.', ':');

/** What is stored for a user of a company. Everything of others is removed. */
export const storedFor = (companyId: number, userId: number): StoredTexts => {
  own = `${companyId}.${userId}`;
  removeAllBut(own);
  ofBrowser.set(marker, own);
  return new StoredTexts(`${beginning}${own}.`);
};

/** The files that are kept for a user of a company. Those of others are removed. */
export const filesFor = (companyId: number, userId: number): StoredFiles => {
  const id = `${companyId}.${userId}.`;
  void removeFilesBut(id);
  return filesOf(id);
};

/** Forgets who was signed in, and everything that was stored for them. Files may take a moment. */
export const forgetSession = (): Promise<void> => {
  isForgotten = true;
  removeAllBut('');
  return removeFilesBut('');
};

let isForgotten = false;

/** The session ended by itself: what was written waits for the same user, and the place where they were. */
export const interruptSession = (place: string): void => {
  if (/^\d+\.\d+$/.test(signedInNow())) ofBrowser.set(`${signedInNow()}.place`, place);
  ofBrowser.set(marker, '');
};

const removeAllBut = (id: string): void => {
  for (const name of Object.keys(localStorage)) {
    const rest = name.startsWith(beginning) ? name.slice(beginning.length) : undefined;
    if (rest !== undefined && !namesOfBrowser.includes(rest) && (id === '' || !rest.startsWith(`${id}.`))) localStorage.removeItem(name);
  }
  if (id === '') ofBrowser.set(marker, '');
};

/** A call that signs in. Other tabs send nothing while it is under way: they could send it for another user. */
export const signingIn =
  <A extends readonly unknown[], R>(call: (...given: A) => Promise<R>, isSignedIn: (result: R) => boolean = () => true) =>
  async (...given: A): Promise<R> => {
    const before = signedInNow();
    ofBrowser.set(marker, changing);
    let isDone = false;
    try {
      const result = await call(...given);
      isDone = isSignedIn(result);
      return result;
    } finally {
      if (isDone) ofBrowser.set(marker, entering);
      else if (signedInNow() === changing) ofBrowser.set(marker, before);
    }
  };

/** Before a page calls for its user. Where another tab has signed them out, or another user in, the page ends, and this never answers. */
export const checkUser = async (): Promise<void> => {
  if (own === undefined) return;
  const signedIn = await signedInNext();
  // a page that signs out is on its way to the sign-in page, and sends nothing any more
  if (isForgotten) return new Promise<never>(() => undefined);
  if (signedIn !== own) await leavePage('/console/');
};

/** Loads a page for another user, who is signed in by now. */
export const enterPage = (address: string): Promise<never> => {
  ofBrowser.set(marker, entering);
  return leavePage(address);
};

let over = false;
/** Another page is being loaded: this one may be left without a question. */
export const isPageOver = (): boolean => over;

/** Loads another page in place of this one, of which nothing is seen again, not by going back either. */
export const leavePage = (address: string): Promise<never> => {
  over = true;
  document.documentElement.style.display = 'none';
  addEventListener('pageshow', () => location.reload());
  location.replace(address);
  return new Promise<never>(() => undefined);
};
