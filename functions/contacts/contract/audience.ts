/** The contacts that a campaign goes to: all of the company, those of a group, a tag or a saved filter, or one. */
export type Audience =
  | { of: 'all' }
  | { of: 'group'; id: number }
  | { of: 'tag'; id: number }
  | { of: 'segment'; id: number }
  | { of: 'contact'; id: number };
