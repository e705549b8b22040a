import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { usePreferences } from '../../app/preferences.tsx';
import { CheckField } from '../../components/fields.tsx';
import { Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { queryClient, read } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

/** Whether the signed-in user gets the week by email, in the language in which the page is shown when it is switched on. It is stored at once. */
export const WeeklySummary = (): JSX.Element => {
  const text = useText(settingsText);
  const { language } = usePreferences();
  const query = useQuery(read('getWeeklySummary'));
  const write = useWrite(
    (enabled: boolean, call) => api.setWeeklySummary({ body: { enabled, language } }, call),
    (answer) => queryClient.setQueryData(read('getWeeklySummary').queryKey, answer),
  );
  return (
    <Section title={text.weeklySummary} hint={text.weeklySummaryHint}>
      {write.error && <ProblemCard error={write.error} />}
      <Shown query={query}>
        {({ data: { enabled, email, email_confirmed, next_at } }) => (
          <>
            <CheckField label={text.weeklySummaryOn(email)} checked={enabled} disabled={write.isPending} onCheck={write.run} />
            {enabled && !email_confirmed && <p className="notice warn">{text.weeklySummaryConfirm}</p>}
            {enabled && email_confirmed && next_at !== null && (
              <p className="muted">
                {text.weeklySummaryNext} <Time at={next_at} long />
              </p>
            )}
          </>
        )}
      </Shown>
    </Section>
  );
};
