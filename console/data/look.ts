/** What has the page look for changes out of turn: an event of the page itself, so that those who call need nothing of those who look. */
export const lookNow = 'switchboard-look-now';

/** The next look begins at once. */
export const pollNow = (): void => void dispatchEvent(new Event(lookNow));

/** The event log has a change some tenths of a second after it was made. */
const soonMs = 400;
let soon: ReturnType<typeof setTimeout> | undefined;

/** The next look begins once the log has what this page changed; of several changes in a row, the last. */
export const pollSoon = (): void => {
  clearTimeout(soon);
  soon = setTimeout(pollNow, soonMs);
};
