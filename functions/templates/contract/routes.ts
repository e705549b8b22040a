import { libraryRoutes } from './library.ts';
import { templateRoutes } from './template.ts';

/** The operations on templates, of the company and of the provider's library. */
export const allTemplateRoutes = { ...templateRoutes, ...libraryRoutes };
