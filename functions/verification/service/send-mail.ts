/** How other contexts send an email. */
export { type Mail, type MailOutcome, sendMail } from '../gateway/mail.ts';
