import { type JSX, lazy, Suspense, useState } from 'react';
import type { MenuProps } from './aria-menu.tsx';

const load = () => import('./aria-menu.tsx');
const OpenMenu = lazy(load);

/** A button that opens a menu. Arrows, letters and Escape work as in every menu. What it needs is loaded when the pointer or the focus comes near. */
export const Menu = (props: MenuProps): JSX.Element => {
  const [isWanted, setWanted] = useState(false);
  const { label, trigger, className = 'button quiet' } = props;
  const button = (
    <button
      type="button"
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      className={className}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setWanted(true)}
    >
      {trigger}
    </button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu {...props} />
    </Suspense>
  );
};
