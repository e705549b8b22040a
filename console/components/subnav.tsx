import { type JSX, useEffect, useRef } from 'react';
import { Link, type LinkProps, Outlet, useRouterState } from '@tanstack/react-router';
import { isAtLeast, type Role, useMe } from '../data/session.ts';
import { Icon, type IconName } from './icons.tsx';

/** An area with pages of its own, those that the role of the user may see: their names at the side, or on top where the page is narrow. */
export const Subnav = <Name extends string>({
  title,
  text,
  pages,
}: {
  title: string;
  /** The texts of the area, with the names of its pages. */
  text: Readonly<Record<Name, string>>;
  pages: readonly { to: NonNullable<LinkProps['to']>; label: Name; icon: IconName; role: Role }[];
}): JSX.Element => {
  const { role: mine } = useMe();
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const nav = useRef<HTMLElement>(null);
  // where the names are one line, the present one may be beside it
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <>
      <nav ref={nav} className="subnav" aria-label={title}>
        <h2>{title}</h2>
        {pages
          .filter(({ role }) => isAtLeast(mine, role))
          .map(({ to, label, icon }, index) => (
            // the first page has the path of the area, below which all others are
            <Link key={to} to={to} activeOptions={{ exact: index === 0, includeSearch: false }}>
              <Icon name={icon} />
              {text[label]}
            </Link>
          ))}
      </nav>
      <Outlet />
    </>
  );
};
