/** The last change that can be taken back, until another one or for as long as it is offered. */
let last: { revert: () => void } | undefined;

/** Offers to take a change back; it ends when the returned function is called. */
export const offerRevert = (revert: () => void): { run: () => void; end: () => void } => {
  const offer = { revert };
  last = offer;
  const end = (): void => {
    if (last === offer) last = undefined;
  };
  let isDone = false;
  const run = (): void => {
    if (isDone) return;
    isDone = true;
    end();
    revert();
  };
  offer.revert = run;
  return { run, end };
};

/** Takes the last change back, once. */
export const revertLast = (): void => {
  const offer = last;
  last = undefined;
  offer?.revert();
};
