import type { JSX } from 'react';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/basics.tsx';
import { Page } from '../../components/page.tsx';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';

/** In place of the builder, where a template has what it cannot show, or the provider lets nothing be changed. */
export const BeyondBuilder = ({ title, why }: { title: string; why?: string }): JSX.Element => {
  const text = useText(templatesText);
  return (
    <Page title={title}>
      <Empty icon="template" title={why ?? text.beyondBuilder}>
        <Link className="button" to="/templates">
          {text.backToList}
        </Link>
      </Empty>
    </Page>
  );
};
