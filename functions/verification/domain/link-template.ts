import type { TemplateParameters } from '../../templates/contract/parameters.ts';

/** How a UTILITY template carries a magic link: by its URL button; its body may have one variable, for what the link allows. */
export interface LinkTemplate {
  button: number;
  hasAbout: boolean;
}

export const linkUrlEnd = '/api/v1/verification/magic/{{1}}';

/** Undefined: the template has other variables, or its button leads elsewhere. */
export const linkTemplateOf = ({
  parameters: { body, header, media, buttons, cards },
  urls,
}: {
  parameters: TemplateParameters;
  urls: readonly (string | undefined)[];
}): LinkTemplate | undefined => {
  const [button, ...more] = buttons;
  const hasOthers = header.length > 0 || media !== undefined || cards.length > 0 || more.length > 0 || body.some((name) => name !== '1');
  if (hasOthers || button?.kind !== 'url' || !urls[button.index]?.endsWith(linkUrlEnd)) return undefined;
  return { button: button.index, hasAbout: body.length > 0 };
};

/** The template's parameters: `suffix` is what the link has in place of the variable. */
export const linkComponents = ({ button, hasAbout }: LinkTemplate, { suffix, about }: { suffix: string; about: string }) => [
  ...(hasAbout ? [{ type: 'body', parameters: [{ type: 'text', text: about }] }] : []),
  { type: 'button', sub_type: 'url', index: String(button), parameters: [{ type: 'text', text: suffix }] },
];
