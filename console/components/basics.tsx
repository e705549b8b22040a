import type { ButtonHTMLAttributes, JSX, MouseEvent, ReactNode } from 'react';
import { useState } from 'react';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Icon, type IconName } from './icons.tsx';

export type ButtonLook = 'normal' | 'primary' | 'quiet' | 'danger';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  small?: boolean;
  icon?: IconName;
  label?: string;
  /** For now a press does nothing, and the button keeps the focus, which a disabled one loses. */
  isSoftDisabled?: boolean;
}

/** A button. With `icon` alone it needs a `label`, which is its name and its hint. */
export const Button = ({
  look = 'normal',
  small = false,
  icon,
  label,
  isSoftDisabled = false,
  children,
  className = '',
  ...rest
}: ButtonProps): JSX.Element => (
  <button
    type="button"
    className={`button ${look === 'normal' ? '' : look} ${small ? 'small' : ''} ${children === undefined ? 'icon' : ''} ${className}`}
    {...(label === undefined ? {} : { 'aria-label': label, title: label })}
    {...rest}
    {...(isSoftDisabled ? { 'aria-disabled': true, onClick: (event: MouseEvent) => event.preventDefault() } : {})}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
);

/** Initials on a colour that stays with the name. */
export const Avatar = ({ name, size = 32 }: { name: string; size?: number }): JSX.Element => {
  const initials = (
    /\p{L}/u.test(name) ? name.split(/\s+/).map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32).trim()) : [name.slice(-2)]
  )
    .slice(0, size < 22 ? 1 : 2)
    .join('');
  const hue = Array.from(name).reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % 9973, 7) % 6;
  return <span className={`avatar hue-${hue}`} style={{ width: size, height: size }} data-initials={initials} aria-hidden />;
};

export type BadgeLook = '' | 'good' | 'warn' | 'bad' | 'info' | 'accent';

export const Badge = ({ look = '', children }: { look?: BadgeLook; children: ReactNode }): JSX.Element => (
  <span className={`badge ${look}`}>{children}</span>
);

/** Where something stands. Without a look it is where nearly all are, and a word: the exceptions are seen. */
export const State = ({ name, look }: { name: ReactNode; look: BadgeLook | undefined }): JSX.Element =>
  look === undefined ? <span className="muted">{name}</span> : <Badge look={look}>{name}</Badge>;

/** A screen, a list or a search with nothing in it: what it is for, and the first step. */
export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }): JSX.Element => (
  <div className="empty">
    <Icon name={icon} size={28} />
    <strong>{title}</strong>
    {children}
  </div>
);

export const Loading = ({ rows = 6 }: { rows?: number | undefined }): JSX.Element => {
  const text = useText(shellText);
  return (
    <div role="status" aria-label={text.loading} className="stack" style={{ padding: 20 }}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="skeleton" style={{ width: `${90 - ((index * 17) % 45)}%` }} />
      ))}
    </div>
  );
};

/** Copies a text and says so; where the browser does not let it, too. */
export const CopyButton = ({ value, label, onTried }: { value: string; label?: string; onTried?: () => void }): JSX.Element => {
  const text = useText(shellText);
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const copy = (): void => {
    void copyText(value).then((isCopied) => {
      setOutcome(isCopied ? 'copied' : 'refused');
      onTried?.();
      setTimeout(() => setOutcome(undefined), 1_500);
    });
  };
  const icon = outcome === undefined ? 'copy' : outcome === 'copied' ? 'check' : 'alert';
  const words = outcome === undefined ? (label ?? text.copy) : outcome === 'copied' ? text.copied : text.copyRefused;
  return <Button look="quiet" small icon={icon} label={words} onClick={copy} />;
};

/** False where the browser refuses: a page without the focus, or an address that is not secure. */
const copyText = async (value: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return false;
  }
};

/** An id or a secret to copy. */
export const Copyable = ({ value, children }: { value: string; children?: ReactNode }): JSX.Element => (
  <span className="row" style={{ gap: 2 }}>
    <code className="cut">{children ?? value}</code>
    <CopyButton value={value} />
  </span>
);

/** A labelled control. The control gets its id and what describes it. */
export const Field = ({
  id,
  label,
  hint,
  problem,
  children,
}: {
  id: string;
  label: string;
  hint?: string | undefined;
  problem?: string | undefined;
  children: ReactNode;
}): JSX.Element => (
  <div className="field">
    <label htmlFor={id}>{label}</label>
    {children}
    {problem !== undefined && (
      <span className="problem" role="alert" id={`${id}-problem`}>
        {problem}
      </span>
    )}
    {hint !== undefined && (
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
    )}
  </div>
);
