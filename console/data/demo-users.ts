import type { Role } from './session.ts';

/** A user of a demo company, who signs in on the laptop by one click. */
export interface DemoUser {
  company_id: number;
  company: string;
  role: Role;
  user_id: number;
}

export const demoUsers = async (): Promise<DemoUser[]> => ((await (await fetch('/_local/sessions')).json()) as { data: DemoUser[] }).data;

export const signInDemoUser = async ({ company_id, role }: DemoUser): Promise<void> => {
  const answer = await fetch('/_local/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ company_id, role }),
  });
  if (!answer.ok) throw new Error(await answer.text());
};
