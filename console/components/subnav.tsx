import type { JSX } from 'react';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Icon, type IconName } from './icons.tsx';

/** An area with pages of its own: their names at the side, or on top where the page is narrow. */
export const Subnav = ({
  title,
  pages,
}: {
  title: string;
  pages: readonly { to: string; label: string; icon: IconName }[];
}): JSX.Element => {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <>
      <nav className="subnav" aria-label={title}>
        <h2>{title}</h2>
        {pages.map(({ to, label, icon }) => (
          <Link key={to} to={to as never} aria-current={path.replace(/\/$/, '') === to ? 'page' : undefined}>
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
};
