/** The fields of webhooks about business accounts, and where each is posted to. */

/** To the number's own URL, else the account's, else the app's. */
const followOverrides: ReadonlySet<string> = new Set([
  'account_settings_update',
  'calls',
  'consumer_profile',
  'group_lifecycle_update',
  'group_participants_update',
  'group_settings_update',
  'group_status_update',
  'history',
  'message_echoes',
  'messages',
  'messaging_handovers',
  'smb_app_state_sync',
  'smb_message_echoes',
  'standby',
]);

/** Always to the app's URL. */
const ofApp: readonly string[] = [
  'account_alerts',
  'account_review_update',
  'account_update',
  'automatic_events',
  'business_capability_update',
  'business_status_update',
  'business_username_updates',
  'flows',
  'message_template_components_update',
  'message_template_quality_update',
  'message_template_status_update',
  'partner_solutions',
  'payment_configuration_update',
  'phone_number_name_update',
  'phone_number_quality_update',
  'security',
  'template_category_update',
  'template_correct_category_detection',
  'tracking_events',
  'user_preferences',
];

/** What an app may subscribe to. */
export const accountFields: readonly string[] = [...followOverrides, ...ofApp].toSorted();

export const followsOverrides = (field: string): boolean => followOverrides.has(field);

/** Fields whose value names the number. Of the others only the entry's id says whose they are. */
export const namesNumber = (field: string): boolean => followOverrides.has(field) || field === 'user_preferences';
