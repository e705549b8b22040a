import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { SwitchboardProblem } from '../data/client.ts';
import { queryClient, read } from '../data/queries.ts';
import { wasSignedIn } from '../data/session.ts';
import { areas } from '../screens/registry.ts';
import { Crashed, NotFound } from './failures.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Crashed });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../screens/sign-in/sign-in.tsx')),
});

/** Every page that needs a session: without a session, the sign-in page, and afterwards back to where it was. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    // oxlint-disable-next-line typescript/only-throw-error -- how the router is led elsewhere
    if (!wasSignedIn()) throw redirect({ to: '/sign-in', search: { next: location.href } } as never);
    try {
      await queryClient.ensureQueryData({ ...read('getMe'), staleTime: 5 * 60_000 });
    } catch (error) {
      if (error instanceof SwitchboardProblem && error.status === 401)
        // oxlint-disable-next-line typescript/only-throw-error -- how the router is led elsewhere
        throw redirect({ to: '/sign-in', search: { next: location.href } } as never);
      throw error;
    }
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- how the router is led elsewhere
    throw redirect({ to: '/inbox' } as never);
  },
});

const areaRoutes = areas.map(({ path, layout, pages }) => {
  const area = createRoute({
    getParentRoute: () => shell,
    path,
    component: layout ? lazyRouteComponent(layout) : Outlet,
  });
  return area.addChildren(
    pages.map((page) => createRoute({ getParentRoute: () => area, path: page.path, component: lazyRouteComponent(page.load) })),
  );
});

export const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren([home, ...areaRoutes])]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: Crashed,
  defaultPendingMs: 300,
});
