import { type JSX, useEffect, useRef } from 'react';
import { Link, type LinkProps, Outlet, useRouterState } from '@tanstack/react-router';
import { isAtLeast, type Role, useMe } from '../data/session.ts';
import { type Catalogue, useText } from '../text/text.ts';
import { Icon, type IconName } from './icons.tsx';

/** A page of an area: an entry of the list at its side, and of the command palette. */
export interface AreaPage<Name extends string> {
  to: NonNullable<LinkProps['to']>;
  /** Its name in the texts of its area. */
  label: Name;
  icon: IconName;
  /** The least role to whom it is shown. */
  role: Role;
}

/** The layout of an area with pages of its own: `title` is its name in its texts, as the labels are those of the pages. */
export const areaOf = <Name extends string>(
  texts: Catalogue<Readonly<Record<Name, string>>>,
  title: NoInfer<Name>,
  pages: readonly AreaPage<Name>[],
): (() => JSX.Element) => {
  const Area = (): JSX.Element => {
    const text = useText(texts);
    return <Subnav title={text[title]} text={text} pages={pages} />;
  };
  return Area;
};

interface SubnavProps<Name extends string> {
  title: string;
  text: Readonly<Record<Name, string>>;
  pages: readonly AreaPage<Name>[];
}

/** The pages that the role of the user may see: their names at the side, or on top where the page is narrow. */
const Subnav = <Name extends string>({ title, text, pages }: SubnavProps<Name>): JSX.Element => {
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
