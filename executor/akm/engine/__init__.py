"""The shell: it reads, asks the kernel, appends, and carries out what is pending."""
