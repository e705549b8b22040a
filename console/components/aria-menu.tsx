import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
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

export interface MenuProps {
  label: string;
  trigger: ReactNode;
  className?: string;
  entries: readonly MenuEntry[];
  onSelect: (id: string) => void;
}

/** The menu of components/menu.tsx, from its first use on: it opens by itself. Its button takes the focus of the one that it replaces, and so gets it back. */
const OpenMenu = ({ label, trigger, className, entries, onSelect }: MenuProps): JSX.Element => {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <AriaButton ref={button} aria-label={label} className={className ?? 'button quiet'}>
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
};
export default OpenMenu;
