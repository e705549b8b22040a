export { templateUsers } from '../store/template-state.ts';
