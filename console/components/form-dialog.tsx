import { type FormEvent, type JSX, type ReactNode, useEffect, useId, useRef } from 'react';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';
import { Dialog } from './dialog.tsx';
import { isOfFields } from './fields.tsx';
import { Spinner } from './icons.tsx';
import { ProblemCard } from './problem.tsx';
import './page.css';

interface Write {
  isPending: boolean;
  error: unknown;
}

/** A form over the page: Enter saves, Escape leaves. A refusal of one of its `fields` stands beside that field, which gets the focus. */
export const FormDialog = ({
  title,
  action,
  write,
  fields = [],
  isDanger = false,
  isDisabled = false,
  wide = false,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** What the button says; `Save` unless given. */
  action?: string;
  write: Write;
  fields?: readonly string[];
  isDanger?: boolean;
  isDisabled?: boolean;
  wide?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}): JSX.Element => {
  const text = useText(shellText);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // the button that was pressed was disabled meanwhile and lost the focus, and keys would no longer reach the dialog
  useEffect(() => {
    const refused = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (write.error) (refused ?? form.current?.querySelector<HTMLElement>('input, textarea, select'))?.focus();
  }, [write.error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isDisabled) onSubmit();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide={wide}
      footer={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button type="submit" form={id} look="primary" className={isDanger ? 'danger' : ''} disabled={isDisabled || write.isPending}>
            {write.isPending && <Spinner />}
            {action ?? text.save}
          </Button>
        </>
      }
    >
      <form ref={form} id={id} className="form" noValidate onSubmit={submit}>
        {write.error !== null && write.error !== undefined && !isOfFields(write.error, fields) && <ProblemCard error={write.error} />}
        {children}
      </form>
    </Dialog>
  );
};
