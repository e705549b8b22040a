import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

/** The address of a deployment and a token of one of its users. */
export class SwitchboardApi implements ICredentialType {
  name = 'switchboardApi';

  displayName = 'Switchboard API';

  icon: Icon = { light: 'file:../icons/switchboard.svg', dark: 'file:../icons/switchboard.dark.svg' };

  properties: INodeProperties[] = [
    {
      displayName: 'Address',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://api.example.com',
      description: 'The address of your deployment, without a slash at its end',
    },
    {
      displayName: 'Access Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'A personal access token (swb_...). The trigger needs one of an admin with the scope webhooks:manage.',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
  };

  test: ICredentialTestRequest = { request: { baseURL: '={{$credentials.baseUrl}}', url: '/api/v1/me' } };
}
