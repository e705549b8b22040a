/** What a recipient reads of a template message: the stored texts with the parameters of the send in their places. */
import type { SentTemplate, TemplateComponent } from './schemas.ts';
import type { Template } from './registry.ts';

interface ShownPart {
  header: string | undefined;
  body: string | undefined;
  /** Label and, of a link, where it leads; of a coupon its code. */
  buttons: string[];
}
export interface ShownTemplate extends ShownPart {
  footer: string | undefined;
  cards: ShownPart[];
}

type SentParts = Pick<NonNullable<SentTemplate['components']>[number], 'type' | 'index' | 'parameters'>[];

export function showTemplate(stored: Template, sent: SentTemplate): ShownTemplate {
  const components = sent.components ?? [];
  const cards = components.find(({ type }) => type === 'carousel')?.cards ?? [];
  const named = stored.parameter_format === 'NAMED';
  return {
    ...showPart(stored.components, components, named),
    footer: stored.components.find(({ type }) => type === 'FOOTER')?.text,
    cards: (stored.components.find(({ type }) => type === 'CAROUSEL')?.cards ?? []).map((card, index) => {
      const given = cards.find((each, place) => Number(each.card_index ?? place) === index)?.components ?? [];
      return showPart(card.components, given, named);
    }),
  };
}

function showPart(stored: TemplateComponent[], sent: SentParts, named: boolean): ShownPart {
  const text = (type: string): string | undefined => {
    const template = stored.find((each) => each.type === type)?.text;
    const parameters = sent.find((each) => each.type === type.toLowerCase())?.parameters ?? [];
    return template?.split(/(\{\{\w+\}\})/).reduce((done, piece) => {
      const name = /^\{\{(\w+)\}\}$/.exec(piece)?.[1];
      if (name === undefined) return done + piece;
      const value = named ? parameters.find((each) => each.parameter_name === name) : parameters[Number(name) - 1];
      return done + (value?.text ?? '');
    }, '');
  };
  const buttons = stored.find(({ type }) => type === 'BUTTONS')?.buttons ?? [];
  return {
    header: text('HEADER'),
    body: text('BODY'),
    buttons: buttons.map((button, index) => {
      const parameter = sent.find((each) => each.type === 'button' && Number(each.index ?? 0) === index)?.parameters?.[0];
      const link = button.url?.split('{{')[0];
      if (link !== undefined) return `${button.text} ${link}${parameter?.text ?? ''}`;
      return `${button.text ?? ''} ${typeof parameter?.['coupon_code'] === 'string' ? parameter['coupon_code'] : ''}`;
    }),
  };
}
