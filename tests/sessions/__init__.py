"""Session files: framed, decoded, followed, put into trees and found."""
