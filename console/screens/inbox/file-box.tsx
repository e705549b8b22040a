import type { JSX, ReactNode } from 'react';
import { Icon, type IconName } from '../../components/icons.tsx';

/** A box with a picture of its kind: a link to another tab where there is somewhere to go. */
export const FileBox = ({ icon, url, children }: { icon: IconName; url?: string | undefined; children: ReactNode }): JSX.Element => {
  const inner = (
    <>
      <Icon name={icon} size={20} />
      <span className="grow">{children}</span>
    </>
  );
  return url === undefined ? (
    <span className="file">{inner}</span>
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer" className="file">
      {inner}
    </a>
  );
};
