import type { JSX } from 'react';
import { Button as AriaButton, Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Icon } from './icons.tsx';
import type { MenuProps } from './menu.tsx';

/** The menu of components/menu.tsx, from its first use on: it begins open. */
const OpenMenu = ({ label, trigger, className, entries, onSelect }: MenuProps): JSX.Element => (
  <MenuTrigger defaultOpen>
    <AriaButton aria-label={label} className={className ?? 'button quiet'}>
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
export default OpenMenu;
