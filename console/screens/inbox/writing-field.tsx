import { type JSX, type KeyboardEvent, type RefObject, type TextareaHTMLAttributes, useLayoutEffect } from 'react';

interface WritingFieldProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onSubmit'> {
  field: RefObject<HTMLTextAreaElement | null>;
  value: string;
  onText: (text: string) => void;
  onSubmit: (event: KeyboardEvent) => void;
  /** Whether a key was for something over the field. */
  isTaken?: (event: KeyboardEvent) => boolean;
}

/** A field as high as its text, up to a limit. Enter sends, with Shift it begins a line; Escape leaves. */
export const WritingField = ({ field, value, onText, onSubmit, isTaken, ...rest }: WritingFieldProps): JSX.Element => {
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight + 2, 220)}px`;
  }, [value, field]);
  return (
    <textarea
      ref={field}
      rows={1}
      // without a text, the hint stands where the page's own lines begin
      {...(value === '' ? {} : { dir: 'auto' })}
      value={value}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={(event) => {
        if (isTaken?.(event)) return;
        if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) onSubmit(event);
        if (event.key === 'Escape') field.current?.blur();
      }}
      {...rest}
    />
  );
};
