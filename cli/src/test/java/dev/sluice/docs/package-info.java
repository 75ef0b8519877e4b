/** The snippets of the README and the guide, compiled, run and compared with the text. */
package dev.sluice.docs;
