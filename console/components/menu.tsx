import type { JSX, ReactNode } from 'react';
import { Button as AriaButton, Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Icon, type IconName } from './icons.tsx';

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName;
  detail?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
}

/** A button that opens a menu. Arrows, letters and Escape work as in every menu. */
export const Menu = ({
  label,
  trigger,
  className = 'button quiet',
  entries,
  onSelect,
}: {
  label: string;
  trigger: ReactNode;
  className?: string;
  entries: readonly MenuEntry[];
  onSelect: (id: string) => void;
}): JSX.Element => (
  <MenuTrigger>
    <AriaButton aria-label={label} className={className}>
      {trigger}
    </AriaButton>
    <Popover className="popover">
      <AriaMenu
        aria-label={label}
        className="menu"
        items={entries}
        disabledKeys={entries.filter(({ disabled }) => disabled).map(({ id }) => id)}
        onAction={(key) => onSelect(String(key))}
      >
        {({ id, label: name, icon, detail, danger }) => (
          <AriaMenuItem id={id} textValue={name} className={`item ${danger ? 'danger' : ''}`}>
            {icon && <Icon name={icon} />}
            <span className="grow cut">{name}</span>
            {detail}
          </AriaMenuItem>
        )}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
