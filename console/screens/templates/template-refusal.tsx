import type { JSX } from 'react';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { SwitchboardProblem } from '../../data/client.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';

/** Fields of the builder, beside which their reasons stand. */
const shown = /^(name|language|max_price\.(amount|currency)|components\.\d+\.(text|example|media_id|buttons)\b.*)$/;

/** What a write of a template was refused for, in words of the reader; what names fields stands beside those. */
export const TemplateRefusal = ({ error }: { error: unknown }): JSX.Element | null => {
  const text = useText(templatesText);
  const { code = '', errors = {} } = error instanceof SwitchboardProblem ? error : {};
  const fields = Object.keys(errors);
  if (fields.length > 0 && fields.every((field) => shown.test(field))) return null;
  const known: Readonly<Record<string, string>> = {
    template_exists: text.exists,
    template_in_use: text.inUse,
    template_not_editable: text.notEditable,
    template_not_paused: text.notPaused,
  };
  const words = known[code];
  if (words === undefined) return <ProblemCard error={error} />;
  return (
    <div className="notice bad" role="alert">
      <Icon name="alert" />
      <span>{words}</span>
    </div>
  );
};
