import type { JSX, ReactNode } from 'react';
import { Link, type LinkProps } from '@tanstack/react-router';

/** To the list behind a bar, a part or a step. */
export type ChartLink = Pick<LinkProps, 'to' | 'params' | 'search'>;

/** A part of a picture that leads to its list. The picture is hidden from keys and screen readers, which go from the table. */
export const PictureLink = ({ link, children }: { link: ChartLink | undefined; children: ReactNode }): JSX.Element =>
  link === undefined ? (
    <>{children}</>
  ) : (
    <Link {...link} tabIndex={-1} className="picture-link">
      {children}
    </Link>
  );
