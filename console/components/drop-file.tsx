import type { JSX, ReactNode } from 'react';
import { Icon, type IconName, Spinner } from './icons.tsx';
import { hasFiles, useDrop } from './use-drop.ts';
import './fields.css';

interface DropFileProps {
  /** What the field is for, for those who do not see it. */
  label: string;
  /** What stands in it: what to do, or the file that was chosen. */
  children: ReactNode;
  icon?: IconName;
  /** Media types and endings that the browser offers, as of an `accept`. A dropped file may be any. */
  accept: string;
  isInvalid?: boolean;
  /** While the file is on its way. */
  isBusy?: boolean;
  onFile: (file: File) => void;
}

/** A place for one file, which is dropped there or chosen: by a press anywhere in it, or by keys. */
export const DropFile = ({
  label,
  children,
  icon = 'file',
  accept,
  isInvalid = false,
  isBusy = false,
  onFile,
}: DropFileProps): JSX.Element => {
  const take = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file) onFile(file);
  };
  const { isOver, handlers } = useDrop(hasFiles, (event) => take(event.dataTransfer.files));
  return (
    <label className={isOver ? 'drop-zone over' : 'drop-zone'} {...handlers}>
      {isBusy ? <Spinner /> : <Icon name={icon} size={20} />}
      <span className="grow">{children}</span>
      <input
        type="file"
        className="hidden-text"
        accept={accept}
        aria-label={label}
        {...(isInvalid ? { 'aria-invalid': true } : {})}
        onChange={({ target }) => {
          take(target.files);
          // the same file can be chosen again
          target.value = '';
        }}
      />
    </label>
  );
};
