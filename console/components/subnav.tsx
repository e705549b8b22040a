import { type JSX, useEffect, useRef } from 'react';
import { Link, type LinkProps, Outlet, useRouterState } from '@tanstack/react-router';
import { Icon, type IconName } from './icons.tsx';

/** An area with pages of its own: their names at the side, or on top where the page is narrow. */
export const Subnav = ({
  title,
  pages,
}: {
  title: string;
  pages: readonly { to: NonNullable<LinkProps['to']>; label: string; icon: IconName }[];
}): JSX.Element => {
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
        {pages.map(({ to, label, icon }, index) => (
          // the first page has the path of the area, below which all others are
          <Link key={to} to={to} activeOptions={{ exact: index === 0, includeSearch: false }}>
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
};
