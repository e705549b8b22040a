import type { JSX } from 'react';

/** In the place of a dialog whose chunk is on its way: shortcuts of the page rest, as they do behind every dialog. */
export const Opening = (): JSX.Element => (
  <div className="scrim">
    <div className="dialog" />
  </div>
);
