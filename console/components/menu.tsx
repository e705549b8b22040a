import { type JSX, lazy, type ReactNode, Suspense, useState } from 'react';
import type { IconName } from './icons.tsx';

const load = () => import('./aria-menu.tsx');
const OpenMenu = lazy(load);

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName;
  detail?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
}

export interface MenuProps {
  label: string;
  trigger: ReactNode;
  className?: string;
  entries: readonly MenuEntry[];
  onSelect: (id: string) => void;
}

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
