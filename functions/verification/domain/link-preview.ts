/** Agents that fetch a link before its recipient opens it. */
const previewAgents =
  /whatsapp|facebookexternalhit|facebot|slackbot|slack-imgproxy|telegrambot|twitterbot|linkedinbot|discordbot|skypeuripreview|microsoft ?preview|ms-?office|outlook|safelinks|proofpoint|mimecast|barracuda|bingpreview|googlebot|google-safety|applebot|pinterest|embedly|headless|curl\/|wget\/|python-requests|bot\b|crawler|spider|preview/i;

export const isLinkPreview = (userAgent: string | undefined): boolean => userAgent !== undefined && previewAgents.test(userAgent);
