export { listTemplateUsers as templateUsers } from '../store/template-state.ts';
