import { analyticsRoutes } from './analytics.ts';
import { libraryRoutes } from './library.ts';
import { reachRoutes } from './reach.ts';
import { templateRoutes } from './template.ts';

/** The operations on templates, of the company and of the provider's library, on what the provider counted of them, and on whom their prices reach. */
export const allTemplateRoutes = { ...templateRoutes, ...libraryRoutes, ...analyticsRoutes, ...reachRoutes };
