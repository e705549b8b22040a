import { useEffect } from 'react';

const lookMs = 100;

/**
 * Where the focus goes when what had it was removed or switched off: a browser leaves it nowhere, and keys and screen readers begin at the top of the page again. A
 * button that was off while it worked gets it back; else the nearest part of the page that is still there takes it, or the dialog that lies over the page. What lets go of the focus by itself keeps nothing.
 */
export const useFocusKeeper = (): void => {
  useEffect(() => {
    let last: Element | undefined;
    let around: readonly Element[] = [];
    let wasOff = false;
    const switched = new MutationObserver(() => {
      wasOff ||= last?.matches(':disabled') === true;
    });
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return;
      switched.disconnect();
      switched.observe(target, { attributes: true, attributeFilter: ['disabled'] });
      [last, around, wasOff] = [target, ancestorsOf(target), false];
    };
    const look = (): void => {
      if (document.activeElement !== document.body || last === undefined || (last.isConnected && !wasOff)) return;
      const isBack = last.isConnected && !last.matches(':disabled');
      const place = isBack
        ? last
        : (around.find((each) => each.isConnected && each.checkVisibility()) ??
          [...document.querySelectorAll('#app, .main, [role=dialog]')].at(-1));
      if (!(place instanceof HTMLElement)) return;
      if (!isBack && !place.hasAttribute('tabindex')) {
        place.tabIndex = -1;
        place.dataset['kept'] = '';
      }
      // what a dialog that is closing still covers takes no focus: then it is tried at the next look
      place.focus({ preventScroll: true });
    };
    document.addEventListener('focusin', remember);
    const timer = setInterval(look, lookMs);
    return () => {
      document.removeEventListener('focusin', remember);
      switched.disconnect();
      clearInterval(timer);
    };
  }, []);
};

/** From the nearest to the whole of the page. */
const ancestorsOf = (element: Element): Element[] => {
  const all: Element[] = [];
  for (let each = element.parentElement; each && each !== document.body; each = each.parentElement) all.push(each);
  return all;
};
