import type { JSX } from 'react';
import { CopyButton } from './basics.tsx';
import './code-box.css';

/** A text as it is, to read and to copy. */
export const CodeBox = ({ label, value }: { label: string; value: string }): JSX.Element => (
  <div className="code-box">
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
    <pre className="code" tabIndex={0} role="region" aria-label={label} dir="ltr">
      {value}
    </pre>
    <CopyButton value={value} />
  </div>
);

/** JSON with line breaks where it is JSON, else as it is. */
export const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
};
