// The console's script. Pages can be read without the script; it sends the forms and refreshes an open page.

import './dialogs.js';
import './forms.js';
import './grid.js';
import './refresh.js';

// On a narrow screen the header scrolls sideways.
document.querySelector('header [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
