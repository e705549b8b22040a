import { analyticsRoutes } from './analytics.ts';
import { libraryRoutes } from './library.ts';
import { templateRoutes } from './template.ts';

/** The operations on templates, of the company and of the provider's library, and on what the provider counted of them. */
export const allTemplateRoutes = { ...templateRoutes, ...libraryRoutes, ...analyticsRoutes };
