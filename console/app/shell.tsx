import { type JSX, lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Avatar, Badge } from '../components/basics.tsx';
import { ConnectionBar } from '../components/connection-bar.tsx';
import { Icon, Logo } from '../components/icons.tsx';
import { Menu } from '../components/menu.tsx';
import { Opening } from '../components/opening.tsx';
import { formatCount } from '../components/time.tsx';
import { toastProblem } from '../components/toasts.tsx';
import { useSync } from '../data/sync.ts';
import { useMessageNotifications, useNotifications } from '../data/notifications.ts';
import { useMessageSound, useSound } from '../data/sound.ts';
import { read } from '../data/queries.ts';
import { isAtLeast, signOut, useMe } from '../data/session.ts';
import { areas } from '../screens/registry.ts';
import { developersText } from '../text/developers.ts';
import { inspectorText } from '../text/inspector.ts';
import { settingsText } from '../text/settings.ts';
import { shellText } from '../text/shell.ts';
import { languageNames, languages, useLocale, useText } from '../text/text.ts';
import { useKeys } from './keys.ts';
import { usePreferences } from './preferences.tsx';
import { ProofDialogs } from './proof-dialogs.tsx';
import { withTexts } from './with-texts.ts';

const loadPalette = withTexts([developersText, settingsText], () => import('./palette.tsx'));
const Palette = lazy(loadPalette);
const Inspector = lazy(withTexts([inspectorText], () => import('./inspector.tsx')));

/** The frame of every screen: navigation, command palette, inspector, and the event feed that keeps all of them current. */
export const Shell = (): JSX.Element => {
  const navigate = useNavigate();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isInspectorOpen, setInspectorOpen] = useState(false);
  useSync();
  useMessageSound();
  useMessageNotifications(
    useText(shellText).notified,
    useCallback((id: number) => void navigate({ to: '/inbox/$id', params: { id } }), [navigate]),
  );
  useKeys({
    'mod+k': () => setPaletteOpen(true),
    'mod+i': () => setInspectorOpen((open) => !open),
    ...Object.fromEntries(areas.map(({ key, path: to }) => [`g ${key}`, () => void navigate({ to })])),
  });
  useEffect(() => {
    // before its key is pressed: what is typed behind it must reach it
    const timer = setTimeout(() => void loadPalette(), 1_500);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="shell">
      <Rail
        isInspectorOpen={isInspectorOpen}
        onInspector={() => setInspectorOpen((open) => !open)}
        onPalette={() => setPaletteOpen(true)}
      />
      <main className="main">
        <div className="area">
          <ConnectionBar />
          <Suspense>
            <Outlet />
          </Suspense>
        </div>
        {isInspectorOpen && (
          <Suspense>
            <Inspector onClose={() => setInspectorOpen(false)} />
          </Suspense>
        )}
      </main>
      <ProofDialogs />
      {isPaletteOpen && (
        <Suspense fallback={<Opening />}>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
};

interface RailProps {
  isInspectorOpen: boolean;
  onInspector: () => void;
  onPalette: () => void;
}

/** The areas, with what waits in the inbox, and what can be opened over each of them. */
const Rail = ({ isInspectorOpen, onInspector, onPalette }: RailProps): JSX.Element => {
  const me = useMe();
  const text = useText(shellText);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const unread = useQuery({ ...read('getInboxCounts'), select: ({ data }) => data.unread }).data ?? 0;
  const { tag } = useLocale();
  const count = unread > 99 ? `${formatCount(tag, 99)}+` : formatCount(tag, unread);
  useEffect(() => {
    const area = areas.find((each) => path.startsWith(each.path));
    document.title = `${unread > 0 ? `(${formatCount(tag, unread)}) ` : ''}${area ? `${text[area.label]} · ` : ''}Switchboard`;
  }, [path, unread, tag, text]);
  return (
    <nav className="rail" aria-label="Switchboard">
      <Logo />
      {areas
        .filter(({ role }) => isAtLeast(me.role, role))
        .map(({ id, path: to, icon, label, key }) => (
          <Link
            key={id}
            to={to}
            aria-label={id === 'inbox' && unread > 0 ? `${text[label]}, ${count}` : text[label]}
            title={`${text[label]}  G ${key.toUpperCase()}`}
            aria-current={path.startsWith(to) ? 'page' : undefined}
          >
            <Icon name={icon} size={18} />
            {id === 'inbox' && unread > 0 && (
              <span className="count">
                <Badge look="accent">{count}</Badge>
              </span>
            )}
          </Link>
        ))}
      <span className="gap" />
      <button type="button" aria-label={text.commands} title={`${text.commands}  Ctrl K`} onClick={onPalette}>
        <Icon name="search" size={18} />
      </button>
      <button
        type="button"
        aria-label={text.inspector}
        title={`${text.inspector}  Ctrl I`}
        aria-pressed={isInspectorOpen}
        onClick={onInspector}
      >
        <Icon name="inspect" size={18} />
      </button>
      <AccountMenu />
    </nav>
  );
};

const AccountMenu = (): JSX.Element => {
  const me = useMe();
  const text = useText(shellText);
  const { theme, setTheme, language, setLanguage, direction, setDirection } = usePreferences();
  const [hasSound, setSound] = useSound();
  const notifications = useNotifications();
  const themes = { system: text.themeSystem, light: text.themeLight, dark: text.themeDark };
  const notifyWords = { on: text.soundOn, off: text.soundOff, refused: text.notifyRefused };
  const directions = { auto: text.directionAuto, ltr: text.directionLtr, rtl: text.directionRtl };
  const actions: Readonly<Record<string, () => void>> = {
    theme: () => setTheme(after(['system', 'light', 'dark'], theme)),
    language: () => setLanguage(after(languages, language)),
    sound: () => setSound(!hasSound),
    notify: () => notifications?.set(notifications.state !== 'on'),
    direction: () => setDirection(after(['auto', 'ltr', 'rtl'], direction)),
    signout: () => void signOut().catch(toastProblem),
  };
  return (
    <Menu
      label={`${text.account}: ${me.name}`}
      className="account"
      trigger={<Avatar name={me.name} size={28} />}
      entries={[
        {
          id: 'me',
          label: `${me.name} · ${text[me.role]}`,
          detail: <small className="muted cut">{me.company_name}</small>,
          disabled: true,
        },
        { id: 'theme', label: text.theme, icon: 'sun', detail: <small className="muted">{themes[theme]}</small> },
        { id: 'language', label: text.language, icon: 'note', detail: <small className="muted">{languageNames[language]}</small> },
        { id: 'direction', label: text.direction, icon: 'list', detail: <small className="muted">{directions[direction]}</small> },
        {
          id: 'sound',
          label: text.sound,
          icon: 'bell',
          detail: <small className="muted">{hasSound ? text.soundOn : text.soundOff}</small>,
        },
        ...(notifications
          ? [
              {
                id: 'notify',
                label: text.notifications,
                icon: 'bell' as const,
                detail: <small className="muted">{notifyWords[notifications.state]}</small>,
              },
            ]
          : []),
        { id: 'signout', label: text.signOut, icon: 'signout' },
      ]}
      onSelect={(id) => actions[id]?.()}
    />
  );
};

const after = <T,>(all: readonly [T, ...T[]] | readonly T[], one: T): T => all[(all.indexOf(one) + 1) % all.length] ?? one;
